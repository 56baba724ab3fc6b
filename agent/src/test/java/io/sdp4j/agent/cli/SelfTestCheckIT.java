package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Goal: the program of the self-test tells the doctor how far it came, and why not further. */
class SelfTestCheckIT {
    /** In a language with digits of its own, too. */
    @Test
    void sharedMemoryCarriesIt() throws InterruptedException {
        Locale usual = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG"));
        Check check;
        try {
            check = SelfTestCheck.ofThisHost().run(3);
        } finally {
            Locale.setDefault(usual);
        }
        // no block begins after a second
        String some = "(131072|262144|393216) bytes over \\[shm], all intact";
        assertTrue(check.found().matches(some), check::toString);
        assertEquals(Check.Verdict.OK, check.verdict());
    }

    /** Loopback is on no device, whether this machine has some or none. */
    @Test
    void aPortThatCannotBeUsedGivesItsReason() throws InterruptedException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        Check check = new SelfTestCheck("none0/1", "RoCE v2", loopback, List.of(), 2_000).run(16);
        assertTrue(check.found().matches("(listen|connect)ing failed: .+"), check::toString);
        assertTrue(check.details().get("reason").toString().matches("[A-Z_]+"), check::toString);
        assertTrue(check.advice().length() > 0, check::toString);
    }
}
