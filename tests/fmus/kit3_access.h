/* Part of kit3.c: values of every type, got and set. */
/* Where the numbers of a variable are, and how many. */
static double* reals_of(State* s, fmi3ValueReference vr, size_t* count) {
  *count = 1;
  if (vr < REALS) return vr == TIME ? &s->time : &s->real[vr];
  if (vr == ARRAY_SUM) return &s->array_sum;
  *count = vr == MATRIX ? (size_t)MATRIX_SIZE : array_length(s);
  return vr == ARRAY_IN ? s->array_in : vr == ARRAY_OUT ? s->array_out : vr == MATRIX ? s->matrix : NULL;
}

#ifdef KIT_SLUGGISH
#define KIT_AFTER_SET (void)0
#else
#define KIT_AFTER_SET evaluate(s)
#endif

fmi3Status fmi3GetFloat64(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                          size_t n_values) {
  State* s = &((Instance*)i)->state;
  size_t done = 0;
  for (size_t k = 0; k < n; ++k) {
    size_t count = 0;
    const double* from = reals_of(s, vr[k], &count);
    if (!from || done + count > n_values) return refuse(i, "no such variable, or too few values");
    memcpy(values + done, from, count * sizeof(double));
    done += count;
  }
  return done == n_values ? fmi3OK : refuse(i, "too many values");
}
fmi3Status fmi3SetFloat64(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t n_values) {
  State* s = &((Instance*)i)->state;
  size_t done = 0;
  for (size_t k = 0; k < n; ++k) {
    size_t count = 0;
    double* to = reals_of(s, vr[k], &count);
    if (!to || done + count > n_values) return refuse(i, "no such variable, or too few values");
    memcpy(to, values + done, count * sizeof(double));
    done += count;
  }
  KIT_AFTER_SET;
  return done == n_values ? fmi3OK : refuse(i, "too many values");
}

#define KIT_ACCESS(Name, field, first)                                                                   \
  fmi3Status fmi3Get##Name(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3##Name values[], \
                           size_t n_values) {                                                            \
    State* s = &((Instance*)i)->state;                                                                   \
    for (size_t k = 0; k < n; ++k) {                                                                     \
      if (vr[k] < (first) || vr[k] - (first) >= sizeof s->field / sizeof *s->field || n != n_values)     \
        return refuse(i, "no such variable");                                                            \
      values[k] = s->field[vr[k] - (first)];                                                             \
    }                                                                                                    \
    return fmi3OK;                                                                                       \
  }                                                                                                      \
  fmi3Status fmi3Set##Name(fmi3Instance i, const fmi3ValueReference vr[], size_t n,                      \
                           const fmi3##Name values[], size_t n_values) {                                 \
    State* s = &((Instance*)i)->state;                                                                   \
    for (size_t k = 0; k < n; ++k) {                                                                     \
      if (vr[k] < (first) || vr[k] - (first) >= sizeof s->field / sizeof *s->field || n != n_values)     \
        return refuse(i, "no such variable");                                                            \
      if (vr[k] == LENGTH &&                                                                             \
          (s->mode != CONFIGURATION || (double)values[k] < 1.0 || (double)values[k] > LONGEST))          \
        return refuse(i, "the length is set in configuration mode, from 1 to 16");                       \
      s->field[vr[k] - (first)] = values[k];                                                             \
    }                                                                                                    \
    KIT_AFTER_SET;                                                                                       \
    return fmi3OK;                                                                                       \
  }
KIT_ACCESS(Float32, single, SINGLE_IN)
KIT_ACCESS(Int8, int8, INT8_IN)
KIT_ACCESS(UInt8, uint8, UINT8_IN)
KIT_ACCESS(Int16, int16, INT16_IN)
KIT_ACCESS(UInt16, uint16, UINT16_IN)
KIT_ACCESS(Int32, int32, INT32_IN)
KIT_ACCESS(UInt32, uint32, UINT32_IN)
KIT_ACCESS(Int64, int64, INT64_IN)
KIT_ACCESS(UInt64, uint64, UINT64_IN)
KIT_ACCESS(Boolean, boolean, SWITCH_IN)

fmi3Status fmi3GetString(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3String values[],
                         size_t n_values) {
  State* s = &((Instance*)i)->state;
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] < TEXT_IN || vr[k] > LABEL || n != n_values) return refuse(i, "no such text");
    values[k] = s->string[vr[k] - TEXT_IN];
  }
  return fmi3OK;
}
fmi3Status fmi3SetString(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3String values[],
                         size_t n_values) {
  State* s = &((Instance*)i)->state;
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] < TEXT_IN || vr[k] > LABEL || n != n_values) return refuse(i, "no such text");
    snprintf(s->string[vr[k] - TEXT_IN], TEXT_SIZE, "%s", values[k]);
  }
  KIT_AFTER_SET;
  return fmi3OK;
}
fmi3Status fmi3GetBinary(fmi3Instance i, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                         fmi3Binary values[], size_t n_values) {
  State* s = &((Instance*)i)->state;
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] < BLOB_IN || vr[k] > BLOB_OUT || n != n_values) return refuse(i, "no such binary");
    sizes[k] = s->blob_size[vr[k] - BLOB_IN];
    values[k] = s->blob[vr[k] - BLOB_IN];
  }
  return fmi3OK;
}
fmi3Status fmi3SetBinary(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                         const fmi3Binary values[], size_t n_values) {
  State* s = &((Instance*)i)->state;
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] != BLOB_IN || n != n_values || sizes[k] > BLOB_SIZE)
      return refuse(i, "no such binary, or too long");
    memcpy(s->blob[0], values[k], sizes[k]);
    s->blob_size[0] = sizes[k];
  }
  KIT_AFTER_SET;
  return fmi3OK;
}
