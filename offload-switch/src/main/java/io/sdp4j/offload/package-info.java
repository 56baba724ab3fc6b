/** Asks the policy, tries providers, falls back to the kernel, remembers misses. */
package io.sdp4j.offload;
