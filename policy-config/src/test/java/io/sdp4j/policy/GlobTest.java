package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
    @ParameterizedTest
    @CsvSource({
        "db2*, db2sync, true",
        "db2*, db3, false",
        "t?cp, ttcp, true",
        "t?cp, tcp, false",
        "*a*b, xaxxb, true",
        "*a*b, xaxxbc, false",
        "[a-c]x, bx, true",
        "[!a-c]x, bx, false",
        "[]]x, ]x, true",
        "[a-]x, -x, true",
        "[ax, [ax, true",
        "a\\*, a*, true",
        "a\\*, ab, false",
        "**, '', true",
        "?, '', false"
    })
    void matchesLikeFnmatch(String pattern, String text, boolean expected) {
        assertEquals(expected, Glob.matches(pattern, text));
    }

    @Test
    void aProgramAnswersToItsClassItsSimpleNameAndToJava() {
        assertTrue(Glob.matchesProgram("com.acme.*", "com.acme.Server"));
        assertTrue(Glob.matchesProgram("Server", "com.acme.Server"));
        assertTrue(Glob.matchesProgram("java", "com.acme.Server"));
        assertTrue(Glob.matchesProgram("h2*.jar", "h2-2.4.jar"));
        assertFalse(Glob.matchesProgram("jar", "h2-2.4.jar"));
        assertFalse(Glob.matchesProgram("acme", "com.acme.Server"));
    }

    @Test
    void manyStarsDoNotTakeForever() {
        String pattern = "*a".repeat(200) + "b";
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> assertFalse(Glob.matches(pattern, "a".repeat(5000))));
    }
}
