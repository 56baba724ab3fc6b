package io.sdp4j.stream;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.trace.TraceWriter;

/**
 * State that all streams of a provider share.
 *
 * @param settings what each is made with
 * @param traces where each is traced; null = nowhere
 * @param loop the event thread, which looks after them
 * @param setup threads that may block while they connect
 * @param quiet looks at them from time to time
 * @param complaints told what their peers have done wrong
 * @param atExit knows those that end with the process
 */
record StreamContext(
        StreamSettings settings,
        TraceWriter traces,
        EventLoop loop,
        SetupThreads setup,
        IdleTrimmer quiet,
        ViolationLog complaints,
        StreamsAtExit atExit) {}
