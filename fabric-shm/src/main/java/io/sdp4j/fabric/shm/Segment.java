package io.sdp4j.fabric.shm;

import java.lang.foreign.MemorySegment;

/**
 * The mapped memory of one connection.
 *
 * @param memory all of it
 * @param release frees it; no access may run or follow
 */
record Segment(MemorySegment memory, Runnable release) {}
