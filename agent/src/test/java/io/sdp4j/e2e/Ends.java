package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;

/** Which ends of the connections run the agent. */
enum Ends {
    NONE(false, false),
    BOTH(true, true),
    SERVER(true, false),
    CLIENT(false, true);

    final boolean atServer;
    final boolean atClient;

    Ends(boolean atServer, boolean atClient) {
        this.atServer = atServer;
        this.atClient = atClient;
    }

    /**
     * Checks the reports of a server and the only client it had, both ended.
     *
     * @param back whether the server connects to the client as well
     */
    void check(Child server, Child client, boolean back) throws IOException {
        switch (this) {
            case NONE -> {}
            case BOTH -> {
                AgentReport there = server.report();
                AgentReport here = client.report();
                assertTrue(here.offloaded() > 0, here::text);
                assertEquals(0, here.fallback() + here.policy(), here::text);
                assertEquals(here.offloaded(), there.acceptedOffloaded(), there::text);
                assertEquals(0, there.acceptedKernel(), there::text);
                assertEquals(back, there.offloaded() > 0, there::text);
                assertEquals(there.offloaded(), here.acceptedOffloaded(), here::text);
            }
            case SERVER -> {
                AgentReport there = server.report();
                assertEquals(0, there.acceptedOffloaded(), there::text);
                assertTrue(there.acceptedKernel() > 0, there::text);
            }
            case CLIENT -> {
                AgentReport here = client.report();
                assertEquals(0, here.offloaded(), here::text);
                assertTrue(here.fallback() > 0, here::text);
            }
        }
    }
}
