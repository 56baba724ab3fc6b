package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {
    private static final List<String> WORDS = List.of("both", "tcp", "sdp", "direct");

    @Test
    void asksForTheWordThatIsNear() {
        assertEquals("; did you mean 'sdp'?", Nearest.question("spd", WORDS));
        assertEquals("; did you mean 'both'?", Nearest.question("bth", WORDS));
        assertEquals("; did you mean 'direct'?", Nearest.question("DIRCT", WORDS));
    }

    @Test
    void asksForNoWordThatIsFar() {
        assertEquals("", Nearest.question("match", WORDS));
        assertEquals("", Nearest.question("x", WORDS));
        assertEquals("", Nearest.question("", WORDS));
        assertEquals("", Nearest.question("tcp", WORDS), "it is that word");
    }

    @Test
    void asksNothingOfAWordOfMegabytes() {
        assertEquals("", Nearest.question("x".repeat(50_000_000), WORDS));
    }
}
