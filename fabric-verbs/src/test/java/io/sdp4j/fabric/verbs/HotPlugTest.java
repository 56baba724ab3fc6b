package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: only announcements of RDMA devices cost a look at sysfs. */
class HotPlugTest {
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "remove@/devices/virtual/infiniband_verbs/uverbs0, infiniband_verbs, true",
                "add@/devices/virtual/infiniband_verbs/uverbs0, infiniband_verbs, true",
                "change@/devices/virtual/infiniband_verbs/uverbs0, infiniband_verbs, false",
                "remove@/devices/virtual/net/lab0, net, false",
                "-, -, true", // some were lost
            })
    void knowsWhatConcernsIt(String first, String subsystem, boolean concerns) {
        String text =
                first == null
                        ? ""
                        : first + "\0ACTION=x\0DEVPATH=y\0SUBSYSTEM=" + subsystem + "\0SEQNUM=1\0";
        byte[] announcement = text.getBytes(StandardCharsets.UTF_8);
        assertEquals(concerns, HotPlug.concernsDevices(announcement));
    }
}
