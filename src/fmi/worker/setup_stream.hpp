#pragma once

#include "ergon/fmi/instance/instance_setup.hpp"
#include "ergon/fmi/worker/byte_stream.hpp"

namespace ergon::fmi {

void write(ByteWriter& out, const InstanceSetup& setup);
void read(ByteReader& in, InstanceSetup& setup);
void write(ByteWriter& out, const StartSettings& settings);
void read(ByteReader& in, StartSettings& settings);
void write(ByteWriter& out, const StartValue& value);
void read(ByteReader& in, StartValue& value);

}  // namespace ergon::fmi
