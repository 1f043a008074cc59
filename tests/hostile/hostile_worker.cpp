// A worker that speaks the protocol and lies. The name of its instance, "lie-SEED", says how; the first calls it answers as it should.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "ergon/fmi/worker/channel.hpp"
#include "support/lying_worker.hpp"

namespace {

using namespace ergon::fmi;
constexpr int memory_descriptor = 3;

/// What is no matter of replies; false: this seed lies in its replies only.
bool misbehave(const Channel& channel, std::uint64_t kind, Liar& liar) {
  ChannelHead& head = channel.head();
  switch (kind) {
    case 0:  // shared memory that ends early would be a SIGBUS of the master
      return ::ftruncate(memory_descriptor, 0) == 0 || ::ftruncate(memory_descriptor, 4096) == 0;
    case 1:
      head.turn.store(77);
      return true;
    case 2:
      ::_exit(static_cast<int>(liar.below(256)));
    case 3:
      std::abort();
    case 4: {  // last words without an end
      const std::string much(1 << 16, 'x');
      for (int i = 0; i < 64; ++i) (void)!::write(1, much.data(), much.size());
      ::_exit(1);
    }
    case 5:  // last words that nobody will ever write
      ::unlink("output.txt");
      (void)!::mkfifo("output.txt", 0600);
      ::_exit(1);
    case 6:
      while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
    case 7:  // replies change while they are read
      std::thread([&head, &channel] {
        Liar other(11);
        const auto memory = channel.memory();
        while (true) {
          head.size.store(other.below(1 << 12));
          head.ok.store(static_cast<std::uint32_t>(other.below(3)));
          const std::uint64_t number = other.below(300);
          std::memcpy(memory.data() + 8 * other.below(64), &number, sizeof number);
        }
      }).detach();
      return false;
    case 8:
      head.sleepers.store(0xffffffffU);
      return false;
    default:
      return false;
  }
}

}  // namespace

int main() {
  const Channel channel = Channel::attach(memory_descriptor);
  if (!channel.good()) return 2;
  HonestWorker worker;
  Liar liar(0);
  std::uint64_t seed = 0;
  for (std::uint64_t calls = 0;; ++calls) {
    while (!channel.wait_for(ChannelHead::worker, std::chrono::seconds(3600))) {
    }
    ChannelHead& head = channel.head();
    const auto request = static_cast<Request>(head.request.load());
    HonestWorker::Reply reply = worker.answer(request, channel.memory().first(head.size.load()));
    if (request == Request::instantiate && worker.name().rfind("lie-", 0) == 0) {
      seed = std::strtoull(worker.name().c_str() + 4, nullptr, 10);
      liar = Liar(seed);
    }
    std::uint64_t size = reply.bytes.size();
    if (calls > seed % 5) {
      if (calls == seed % 5 + 1 && misbehave(channel, seed % 16, liar)) continue;
      liar.damage(reply, size);
    }
    std::memcpy(channel.memory().data(), reply.bytes.data(), reply.bytes.size());
    head.ok.store(reply.ok);
    head.size.store(size);
    channel.hand_to(ChannelHead::master);
    if (request == Request::quit) ::_exit(0);
  }
}
