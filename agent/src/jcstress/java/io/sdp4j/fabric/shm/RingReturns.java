package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sdp4j.fabric.Completion;
import io.sdp4j.linux.MappedMemory;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

/** A slot that is used again was read to the end before. */
@JCStressTest
@Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "Not returned yet.")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "Used again, after it was read.")
@Outcome(expect = FORBIDDEN, desc = "Overwritten while it was read.")
@State
public class RingReturns {
    private static final ShmLayout LAYOUT = RingPublishes.LAYOUT;

    private final MemorySegment mem =
            MemorySegment.ofArray(new long[(int) (LAYOUT.totalBytes >>> 3)]);
    private final MappedMemory mapped = MappedMemory.of(mem);
    private final SendRing out = new SendRing(LAYOUT, 0, mapped);
    private final ReceiveRing in = new ReceiveRing(LAYOUT, 0, mapped);

    public RingReturns() {
        int slot = out.take(null);
        mem.set(JAVA_LONG, LAYOUT.data[0], 1);
        out.post(slot, false);
        out.publish(slot);
        int _ = in.next(new Completion());
        boolean _ = in.deliver(slot, 8);
    }

    @Actor
    public void receiver(JI_Result r) {
        r.r1 = mem.get(JAVA_LONG, LAYOUT.data[0]);
        in.post(0);
    }

    @Actor
    public void sender(JI_Result r) {
        r.r2 = out.take(null);
        if (r.r2 >= 0) {
            mem.set(JAVA_LONG, LAYOUT.data[0], 2);
        }
    }
}
