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
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A registration that its user leaves just when its keeper keeps nothing more is ended by one of
 * them.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Ended once.")
@Outcome(expect = FORBIDDEN, desc = "Left and never ended, or ended twice.")
@State
public class HandleIsLeft {
    private static final MemorySegment MEMORY = Arena.ofAuto().allocate(8);

    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger over = new AtomicInteger();
    private final RegistrationCache keeper =
            new RegistrationCache(new CountedEnds(ended), MEMORY.byteSize(), () -> {});
    private final RegistrationHandle use;

    public HandleIsLeft() {
        keeper.acquire(MEMORY, new int[1]).end(); // from now on it looks at what is left
        use = keeper.acquire(MEMORY, new int[1]);
        use.whenOver(over::incrementAndGet);
    }

    @Actor
    public void user() {
        if (!use.leave()) {
            use.end();
        }
    }

    @Actor
    public void keeper() {
        keeper.close();
    }

    @Arbiter
    public void afterwards(II_Result r) {
        r.r1 = ended.get();
        r.r2 = over.get();
    }
}
