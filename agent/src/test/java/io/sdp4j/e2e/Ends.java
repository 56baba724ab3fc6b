package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;

/** Which ends of the connections run the agent. */
enum Ends {
    NONE(false, false),
    BOTH(true, true),
    /** Both, and each connection leaves TCP as soon as it is made. */
    MOVING(true, true),
    SERVER(true, false),
    CLIENT(false, true);

    final boolean atServer;
    final boolean atClient;

    Ends(boolean atServer, boolean atClient) {
        this.atServer = atServer;
        this.atClient = atClient;
    }

    /** How processes that are started from now on are offloaded. */
    void use(Jvms jvms) throws IOException {
        if (this == BOTH) {
            jvms.direct();
        } else {
            jvms.upgrade("connect");
        }
    }

    /**
     * Checks the reports of a server and the only client it had, both ended. A server may connect
     * to itself (H2's does, to see whether it runs), or back to its client.
     *
     * @param back whether the server must have connected to the client as well
     */
    void check(Child server, Child client, boolean back) throws IOException {
        check(server, client, back, 0);
    }

    /**
     * The same of a server that had other clients as well.
     *
     * @param others how many connections without the agent there were besides
     */
    void check(Child server, Child client, boolean back, int others) throws IOException {
        switch (this) {
            case NONE -> {}
            case MOVING -> {
                AgentReport there = server.report();
                AgentReport here = client.report();
                assertTrue(here.offloaded() > 0, () -> here.text() + there.text());
                assertTrue(there.acceptedOffloaded() > 0, () -> here.text() + there.text());
            }
            case BOTH -> {
                AgentReport there = server.report();
                AgentReport here = client.report();
                assertTrue(here.offloaded() > 0, here::text);
                assertEquals(0, here.fallback() + here.policy(), here::text);
                assertEquals(0, there.fallback() + there.policy(), there::text);
                assertEquals(0, here.acceptedKernel(), here::text);
                assertEquals(others, there.acceptedKernel(), there::text);
                assertEquals(
                        here.offloaded() + there.offloaded(),
                        here.acceptedOffloaded() + there.acceptedOffloaded(),
                        () -> here.text() + there.text());
                assertEquals(back, here.acceptedOffloaded() > 0, here::text);
            }
            case SERVER -> {
                AgentReport there = server.report();
                assertEquals(there.offloaded(), there.acceptedOffloaded(), there::text);
                assertTrue(there.acceptedKernel() > others, there::text);
            }
            case CLIENT -> {
                AgentReport here = client.report();
                assertEquals(here.offloaded(), here.acceptedOffloaded(), here::text);
                assertTrue(here.fallback() + here.policy() > 0, here::text);
            }
        }
    }
}
