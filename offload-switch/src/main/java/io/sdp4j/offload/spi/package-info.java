/**
 * The interfaces that a provider of offloaded streams implements. Narrow on purpose: locks,
 * time-outs, interrupts, close races and half-close are written once, in the switch, on top of
 * try-operations.
 */
package io.sdp4j.offload.spi;
