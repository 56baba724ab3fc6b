/** Asks the policy, tries providers, falls back to the kernel, remembers failures. */
package io.sdp4j.offload;
