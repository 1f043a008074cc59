/* Part of kit3.c: functions that every FMU of FMI 3 must have. */
/* Nothing of what follows belongs to co-simulation of this FMU. */
#define KIT_REFUSED(Name, arguments)                   \
  fmi3Status fmi3##Name arguments {                    \
    return refuse(i, "fmi3" #Name " is not provided"); \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
KIT_REFUSED(GetNumberOfVariableDependencies, (fmi3Instance i, fmi3ValueReference vr, size_t* n))
KIT_REFUSED(GetVariableDependencies,
            (fmi3Instance i, fmi3ValueReference vr, size_t elements[], fmi3ValueReference independents[],
             size_t of[], fmi3DependencyKind kinds[], size_t n))
KIT_REFUSED(GetAdjointDerivative, (fmi3Instance i, const fmi3ValueReference unknowns[], size_t nu,
                                   const fmi3ValueReference knowns[], size_t nk, const fmi3Float64 seed[],
                                   size_t ns, fmi3Float64 out[], size_t no))
KIT_REFUSED(GetIntervalFraction,
            (fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[],
             fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]))
KIT_REFUSED(GetShiftFraction,
            (fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3UInt64 a[], fmi3UInt64 b[]))
#ifndef KIT_FIXED_CLOCK
KIT_REFUSED(SetIntervalDecimal,
            (fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Float64 v[]))
KIT_REFUSED(SetShiftDecimal, (fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Float64 v[]))
#endif
KIT_REFUSED(SetIntervalFraction, (fmi3Instance i, const fmi3ValueReference vr[], size_t n,
                                  const fmi3UInt64 a[], const fmi3UInt64 b[]))
KIT_REFUSED(SetShiftFraction, (fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 a[],
                               const fmi3UInt64 b[]))
KIT_REFUSED(EnterContinuousTimeMode, (fmi3Instance i))
KIT_REFUSED(CompletedIntegratorStep,
            (fmi3Instance i, fmi3Boolean no_rollback, fmi3Boolean* event, fmi3Boolean* terminate))
KIT_REFUSED(SetTime, (fmi3Instance i, fmi3Float64 time))
KIT_REFUSED(SetContinuousStates, (fmi3Instance i, const fmi3Float64 x[], size_t n))
KIT_REFUSED(GetContinuousStateDerivatives, (fmi3Instance i, fmi3Float64 x[], size_t n))
KIT_REFUSED(GetEventIndicators, (fmi3Instance i, fmi3Float64 z[], size_t n))
KIT_REFUSED(GetContinuousStates, (fmi3Instance i, fmi3Float64 x[], size_t n))
KIT_REFUSED(GetNominalsOfContinuousStates, (fmi3Instance i, fmi3Float64 x[], size_t n))
KIT_REFUSED(GetNumberOfEventIndicators, (fmi3Instance i, size_t* n))
KIT_REFUSED(GetNumberOfContinuousStates, (fmi3Instance i, size_t* n))
KIT_REFUSED(ActivateModelPartition, (fmi3Instance i, fmi3ValueReference clock, fmi3Float64 time))
