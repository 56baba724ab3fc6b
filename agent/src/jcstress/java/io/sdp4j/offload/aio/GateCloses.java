package io.sdp4j.offload.aio;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A thread in the gate finds the resource behind it in place; it is given back once, by the last
 * one.
 */
@JCStressTest
@Outcome(
        id = {"0, 1", "-1, 1"},
        expect = ACCEPTABLE,
        desc = "In before it was closed, or not at all.")
@Outcome(expect = FORBIDDEN, desc = "Given back under a user, twice, or never.")
@State
public class GateCloses {
    private final AtomicInteger released = new AtomicInteger();
    private final Gate gate = new Gate(released::incrementAndGet);

    @Actor
    public void user(II_Result r) {
        r.r1 = -1;
        if (gate.enter()) {
            r.r1 = released.get();
            gate.leave();
        }
    }

    @Actor
    public void closer() {
        gate.close();
    }

    @Arbiter
    public void afterwards(II_Result r) {
        r.r2 = released.get();
    }
}
