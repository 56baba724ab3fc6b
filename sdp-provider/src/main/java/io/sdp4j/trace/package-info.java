/**
 * Traces of connections: the file, how streams write it, how tools read it.
 *
 * <p>The file is a ring of cells in mapped memory. Writing is a store into it: no system call, no
 * lock, no allocation, so that a trace shows what would have happened without it; and what was
 * written is there after the process was killed. docs/trace.md describes the format.
 */
package io.sdp4j.trace;
