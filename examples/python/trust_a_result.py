"""Couple two subsystems (here native ones; FMUs take fmu="…" instead), and see whether the result can be trusted."""

import ergon

system = ergon.System(stop_time=2, step_size="1e-3")
system.add("engine", "oscillator.force_output", parameters={"m": 1.0, "k": 10.0, "kc": 100.0}, initial={"v": 1.0})
system.add("load", "oscillator.mass", parameters={"m": 1.0, "k": 1000.0}, initial={"v": -1.0})
system.bond("spring", a={"effort": "engine.force", "flow": "engine.velocity_in", "displacement": "engine.position_in"},
            b={"effort": "load.force", "flow": "load.velocity", "displacement": "load.position"})

result = ergon.run(system, accuracy="1 %")
print(repr(result.verdict))
for error in result.errors.values():
    print(error)
print(result.bonds["spring"])
