package io.sdp4j.fabric.verbs;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A registration that was left belongs to its user again, or to its keeper, when both want it. */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "The user has it, and it is not over.")
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "The keeper has ended it.")
@Outcome(expect = FORBIDDEN, desc = "Both have it, or neither.")
@State
public class HandleIsReopened {
    private static final MemorySegment MEMORY = Arena.ofAuto().allocate(8);

    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger over = new AtomicInteger();
    private final RegistrationCache keeper =
            new RegistrationCache(new CountedEnds(ended), MEMORY.byteSize(), () -> {});
    private final RegistrationHandle use;

    public HandleIsReopened() {
        keeper.acquire(MEMORY, new int[1]).end(); // from now on it looks at what is left
        use = keeper.acquire(MEMORY, new int[1]);
        use.whenOver(over::incrementAndGet);
        use.leave();
    }

    @Actor
    public void user(III_Result r) {
        r.r1 = use.comeBack() ? 1 : 0;
    }

    @Actor
    public void keeper() {
        keeper.giveUpIdle();
    }

    @Arbiter
    public void afterwards(III_Result r) {
        r.r2 = ended.get();
        r.r3 = over.get();
    }
}
