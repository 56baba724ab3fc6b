package io.sdp4j.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.spi.OffloadStream;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A caller that asks to be told is told once, or learns that there is something now; and never
 * both.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "There is something now.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Told.")
@Outcome(id = "1, 0", expect = FORBIDDEN, desc = "A lost wake-up.")
@Outcome(expect = FORBIDDEN, desc = "Told twice, or without need.")
@State
public class BlockedThreadsTell {
    private volatile boolean readable;
    private volatile int told;
    private int armed;

    private final BlockedThreads blocked =
            new BlockedThreads(
                    null,
                    new BlockedThreads.Stream() {
                        @Override
                        public int ready(int ops) {
                            return readable ? OffloadStream.READ : 0;
                        }

                        @Override
                        public int known(int ops) {
                            return ready(ops);
                        }

                        @Override
                        public boolean armUnlessReady(int ops) {
                            return !readable;
                        }

                        @Override
                        public int requestNotify(int ops) {
                            return -1;
                        }

                        @Override
                        public int notifyFd() {
                            return -1;
                        }

                        @Override
                        public void leaveDescriptor() {}
                    },
                    new Loop());

    /** Runs everything at once. */
    private static final class Loop implements EventLoop {
        @Override
        public void end() {}

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean inLoop() {
            return true;
        }
    }

    @Actor
    public void waiter() {
        armed = blocked.arm(OffloadStream.READ, () -> told++) ? 1 : 0;
    }

    @Actor
    public void drainer() {
        readable = true;
        blocked.signal(OffloadStream.READ);
    }

    @Arbiter
    public void afterwards(II_Result r) {
        r.r1 = armed;
        r.r2 = told;
    }
}
