// Prints the bytes of the area in which this processor's extended state is saved (XSAVE, CPUID leaf 0xD), rounded up to a page:
// what a tracer has to hand over whole when it sets the registers of a process. AVX-512 needs 2,696 bytes, AMX 11,008.
#include <cpuid.h>
#include <stdio.h>

enum { LEAF = 0xd, LEGACY = 512 + 64, PAGE = 4096 };

int main(void) {
  unsigned eax, enabled, possible, edx;
  if (!__get_cpuid_count(LEAF, 0, &eax, &enabled, &possible, &edx)) {
    possible = LEGACY;
  }
  printf("%u\n", (possible + PAGE - 1) / PAGE * PAGE);
  return 0;
}
