package io.sdp4j.fabric.verbs;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

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
    private final AtomicInteger over = new AtomicInteger();

    private final RegistrationHandle use =
            new RegistrationHandle() {
                @Override
                long registration() {
                    return 1;
                }

                @Override
                boolean mayBeLeft() {
                    return true;
                }

                @Override
                void onLeave() {}

                @Override
                void release() {}
            };

    public HandleIsReopened() {
        use.whenOver(over::incrementAndGet);
        use.leave();
    }

    @Actor
    public void user(III_Result r) {
        r.r1 = use.comeBack() ? 1 : 0;
    }

    @Actor
    public void keeper(III_Result r) {
        r.r2 = use.endIfLeft() ? 1 : 0;
    }

    @Arbiter
    public void afterwards(III_Result r) {
        r.r3 = over.get();
    }
}
