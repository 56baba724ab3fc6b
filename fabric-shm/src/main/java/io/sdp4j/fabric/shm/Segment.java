package io.sdp4j.fabric.shm;

import io.sdp4j.linux.MappedMemory;

/**
 * The mapped memory of one connection.
 *
 * @param memory all of it
 * @param release frees it; no access may run or follow
 */
record Segment(MappedMemory memory, Runnable release) {}
