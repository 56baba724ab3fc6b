package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.linux.MappedMemory;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A reader that sees a descriptor sees the payload that was stored before it was published. */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Not there yet.")
@Outcome(id = "7, 42", expect = ACCEPTABLE, desc = "All of it.")
@Outcome(expect = FORBIDDEN, desc = "A message without its payload.")
@State
public class RingPublishes {
    private static final QpSpec SPEC = new QpSpec(1, 64, 1);
    static final ShmLayout LAYOUT = new ShmLayout(SPEC, SPEC, 0, 0, 4096);

    private final MemorySegment mem =
            MemorySegment.ofArray(new long[(int) (LAYOUT.totalBytes >>> 3)]);
    private final MappedMemory mapped = MappedMemory.of(mem);
    private final SendRing out = new SendRing(LAYOUT, 0, mapped);
    private final ReceiveRing in = new ReceiveRing(LAYOUT, 0, mapped);
    private final Completion descriptor = new Completion();

    @Actor
    public void sender() {
        mem.set(JAVA_LONG, LAYOUT.data[0], 42);
        out.publish(7);
    }

    @Actor
    public void receiver(JJ_Result r) {
        boolean there = in.next(descriptor) != ReceiveRing.NONE;
        r.r1 = there ? descriptor.byteLen : 0;
        r.r2 = there ? mem.get(JAVA_LONG, LAYOUT.data[0]) : 0;
    }
}
