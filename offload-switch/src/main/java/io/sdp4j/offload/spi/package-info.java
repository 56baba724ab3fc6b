/**
 * The interfaces that a provider of offloaded streams implements. They are narrow on purpose: the
 * switch implements locks, time-outs, interrupts, close races and half-close once, on top of
 * try-operations.
 */
package io.sdp4j.offload.spi;
