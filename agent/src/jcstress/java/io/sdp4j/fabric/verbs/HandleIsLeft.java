package io.sdp4j.fabric.verbs;

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
 * A registration that its user leaves just when its keeper keeps nothing more is ended by one of
 * them.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Ended once.")
@Outcome(expect = FORBIDDEN, desc = "Left and never ended, or ended twice.")
@State
public class HandleIsLeft {
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger over = new AtomicInteger();
    private volatile boolean keeps = true;

    private final RegistrationHandle use =
            new RegistrationHandle() {
                @Override
                long registration() {
                    return 1;
                }

                @Override
                boolean mayBeLeft() {
                    return keeps;
                }

                @Override
                void onLeave() {}

                @Override
                void release() {
                    ended.incrementAndGet();
                }
            };

    public HandleIsLeft() {
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
        keeps = false;
        if (use.endIfLeft()) {
            ended.incrementAndGet();
        }
    }

    @Arbiter
    public void afterwards(II_Result r) {
        r.r1 = ended.get();
        r.r2 = over.get();
    }
}
