package io.sdp4j.bench.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SamplesTest {
    private final Samples samples = new Samples(1, 1);

    private void add(int times, int... nanos) {
        for (int n = 0; n < times; n++) {
            for (int one : nanos) {
                samples.add(one);
            }
        }
    }

    /** Goal: a change within a measurement shows, a mixture from beginning to end does not. */
    @Test
    void aChangeIsToldFromAMixture() {
        add(50, 100);
        add(50, 300);
        assertEquals("lowest=100 highest=300", samples.steadiness());
        samples.clear();
        add(100, 100, 300, 100);
        assertEquals("lowest=100 highest=100", samples.steadiness());
    }

    @Test
    void fewSamplesAreEnough() {
        add(1, 700, 800, 900);
        assertEquals("lowest=700 highest=900", samples.steadiness());
        assertEquals("p50=800 p99=900 n=3", Samples.text(Samples.sorted(List.of(samples))));
    }
}
