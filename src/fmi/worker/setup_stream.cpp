#include "ergon/fmi/worker/setup_stream.hpp"

namespace ergon::fmi {
namespace {

void write(ByteWriter& out, const std::vector<Batch>& batches) {
  out.put(static_cast<std::uint64_t>(batches.size()));
  for (const Batch& b : batches) {
    out.put(b.type);
    out.put(b.references);
    out.put(b.elements);
    out.put(b.direct);
    out.put(b.negated);
  }
}

void read(ByteReader& in, std::vector<Batch>& batches) {
  const auto count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && in.good(); ++i) {
    Batch& b = batches.emplace_back();
    in.get(b.type);
    in.get(b.references);
    in.get(b.elements);
    in.get(b.direct);
    in.get(b.negated);
  }
}

/// Both directions in one order.
template <class Stream, class Batches_, class Do>
void each(Stream& stream, Batches_& b, const Do& act) {
  for (auto* list :
       {&b.reals, &b.integers, &b.texts, &b.clocked_reals, &b.clocked_integers, &b.clocked_texts})
    act(stream, *list);
}

}  // namespace

void write(ByteWriter& out, const InstanceSetup& s) {
  out.put(s.version);
  out.put(s.fmu);
  out.put(s.library);
  out.put(s.resources);
  out.put(s.sandbox);
  out.put(s.token);
  for (const bool flag : {s.can_save_state, s.can_serialize_state, s.directional_derivatives,
                          s.interpolates_inputs, s.events_used, s.early_return_allowed})
    out.put(flag);
  for (const Batches* b : {&s.inputs, &s.outputs}) {
    each(out, *b, [](ByteWriter& o, const std::vector<Batch>& list) { write(o, list); });
    out.put(b->real_count);
    out.put(b->integer_count);
    out.put(b->text_count);
  }
  out.put(s.intermediate_references);
  out.put(s.intermediate_elements);
  out.put(s.clocks);
  out.put(s.exchange.has_value());
  if (!s.exchange) return;
  const ExchangeSetup& e = *s.exchange;
  out.put(e.default_tolerance);
  out.put(e.absolute_tolerance.has_value());
  out.put(e.absolute_tolerance.value_or(0.0));
  out.put(e.needs_completed_step);
  out.put(e.state_count);
  out.put(e.indicator_count);
  out.put(e.indicator_names);
  out.put(e.state_references);
  out.put(e.derivative_references);
}

void read(ByteReader& in, InstanceSetup& s) {
  in.get(s.version);
  in.get(s.fmu);
  in.get(s.library);
  in.get(s.resources);
  in.get(s.sandbox);
  in.get(s.token);
  for (bool* flag : {&s.can_save_state, &s.can_serialize_state, &s.directional_derivatives,
                     &s.interpolates_inputs, &s.events_used, &s.early_return_allowed})
    in.get(*flag);
  for (Batches* b : {&s.inputs, &s.outputs}) {
    each(in, *b, [](ByteReader& i, std::vector<Batch>& list) { read(i, list); });
    in.get(b->real_count);
    in.get(b->integer_count);
    in.get(b->text_count);
  }
  in.get(s.intermediate_references);
  in.get(s.intermediate_elements);
  in.get(s.clocks);
  if (!in.get<bool>()) return;
  ExchangeSetup& e = s.exchange.emplace();
  in.get(e.default_tolerance);
  const bool has_absolute = in.get<bool>();
  const auto absolute = in.get<double>();
  if (has_absolute) e.absolute_tolerance = absolute;
  in.get(e.needs_completed_step);
  in.get(e.state_count);
  in.get(e.indicator_count);
  in.get(e.indicator_names);
  in.get(e.state_references);
  in.get(e.derivative_references);
}

void write(ByteWriter& out, const StartValue& v) {
  out.put(v.reference);
  out.put(v.type);
  out.put(v.structural);
  out.put(v.reals);
  out.put(v.integers);
  out.put(v.texts);
}

void read(ByteReader& in, StartValue& v) {
  in.get(v.reference);
  in.get(v.type);
  in.get(v.structural);
  in.get(v.reals);
  in.get(v.integers);
  in.get(v.texts);
}

void write(ByteWriter& out, const StartSettings& s) {
  out.put(static_cast<std::uint64_t>(s.values.size()));
  for (const StartValue& v : s.values) write(out, v);
  out.put(s.start_s);
  out.put(s.end_s.has_value());
  out.put(s.end_s.value_or(0.0));
  out.put(s.tolerance.has_value());
  out.put(s.tolerance.value_or(0.0));
}

void read(ByteReader& in, StartSettings& s) {
  const auto count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && in.good(); ++i) read(in, s.values.emplace_back());
  in.get(s.start_s);
  const bool has_end = in.get<bool>();
  const auto end = in.get<double>();
  if (has_end) s.end_s = end;
  const bool has_tolerance = in.get<bool>();
  const auto tolerance = in.get<double>();
  if (has_tolerance) s.tolerance = tolerance;
}

}  // namespace ergon::fmi
