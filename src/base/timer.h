/** Monotonic wall time.  Layer base. */
#pragma once

/** Seconds since an arbitrary fixed moment. */
double sup_wall_time(void);
