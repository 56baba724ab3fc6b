package io.sdp4j.e2e;

import org.junit.jupiter.api.Test;

/** A Kafka broker, which is its own controller, and its clients. */
class KafkaApplicationIT extends ChannelApplicationContract {
    KafkaApplicationIT() {
        super(ChannelApplication.KAFKA);
    }

    /** Goal: a broker talks to its controller on one stack and to its clients on both. */
    @Test
    void itsControllerByTcp() throws Exception {
        mixed(true);
    }
}
