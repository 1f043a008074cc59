#!/bin/sh
# Makes a system of two FMUs, two masses joined by a spring, as oscillators.ssp in the folder given.
#   examples/systems/make_oscillators.sh FOLDER [ERGON]
set -eu
folder=${1:?name a folder}
ergon=${2:-ergon}
mkdir -p "$folder"
cat > "$folder/native.toml" <<'TOML'
simulation = { stop_time = 10.0, step_size = 1e-3 }

[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = { k = 10.0, kc = 100.0 }
initial = { v = 1.0 }

[[subsystem]]
name = "right"
model = "oscillator.mass"
parameters = { k = 100.0 }
TOML
"$ergon" export "$folder/native.toml" --subsystem left -o "$folder/left.fmu"
"$ergon" export "$folder/native.toml" --subsystem right -o "$folder/right.fmu"
cat > "$folder/SystemStructure.ssd" <<'SSD'
<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription name="oscillators" version="1.0"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:osp="http://opensimulationplatform.com/SSP/OSPAnnotations">
  <ssd:System name="oscillators">
    <ssd:Elements>
      <ssd:Component name="left" source="left.fmu"/>
      <ssd:Component name="right" source="right.fmu"/>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startElement="left" startConnector="force" endElement="right" endConnector="force"/>
      <ssd:Connection startElement="right" startConnector="velocity" endElement="left" endConnector="velocity_in"/>
      <ssd:Connection startElement="right" startConnector="position" endElement="left" endConnector="position_in"/>
    </ssd:Connections>
  </ssd:System>
  <ssd:DefaultExperiment startTime="0" stopTime="10">
    <ssd:Annotations>
      <ssc:Annotation type="com.opensimulationplatform">
        <osp:Algorithm><osp:FixedStepAlgorithm baseStepSize="1e-3"/></osp:Algorithm>
      </ssc:Annotation>
    </ssd:Annotations>
  </ssd:DefaultExperiment>
</ssd:SystemStructureDescription>
SSD
"$ergon" convert "$folder/SystemStructure.ssd" "$folder/oscillators.ssp"
