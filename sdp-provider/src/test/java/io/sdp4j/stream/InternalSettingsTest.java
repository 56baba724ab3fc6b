package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.policy.Settings;
import io.sdp4j.wire.SdpMachine;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: each internal setting, and each other one whose unit nothing else shows, arrives where it
 * counts, with its unit.
 */
class InternalSettingsTest {
    private static Settings with(String option, String value) {
        return Settings.of(SdpSettings.ALL, Map.of(option, value), new Properties(), line -> {});
    }

    private static Arguments stream(
            String option, String value, Function<StreamSettings, Object> read, Object wanted) {
        return Arguments.of(option, value, read, wanted);
    }

    static Stream<Arguments> ofStreams() {
        return Stream.of(
                stream("keepalive.s", "6", s -> s.keepAliveNanos(), TimeUnit.SECONDS.toNanos(6)),
                stream(
                        "internal.buffers.quiet.ms",
                        "3",
                        s -> s.quietNanos(),
                        TimeUnit.MILLISECONDS.toNanos(3)),
                stream("internal.bulk.bytes", "5", s -> s.bulkBytes(), 5L),
                stream("internal.bulk.bytes", "0", s -> s.bulkBytes(), Long.MAX_VALUE),
                stream(
                        "internal.close.timeout.s",
                        "7",
                        s -> s.timerNanos(SdpMachine.TIMER_CLOSE, 0),
                        TimeUnit.SECONDS.toNanos(7)),
                stream(
                        "internal.close.grace.ms",
                        "4",
                        s -> s.timerNanos(SdpMachine.TIMER_GRACE, 0),
                        TimeUnit.MILLISECONDS.toNanos(4)),
                stream(
                        "internal.resume.timeout.s",
                        "9",
                        s -> s.timerNanos(SdpMachine.TIMER_SUSPEND, 0),
                        TimeUnit.SECONDS.toNanos(9)),
                stream("internal.zcopy.offers", "true", s -> s.zcopy().offers(), true),
                stream(
                        "internal.zcopy.threshold.bytes",
                        "8192",
                        s -> s.zcopy().thresholdBytes(),
                        8192));
    }

    @ParameterizedTest(name = "{0}={1}")
    @MethodSource("ofStreams")
    void arrivesAtTheStream(
            String option, String value, Function<StreamSettings, Object> read, Object wanted) {
        assertEquals(wanted, read.apply(StreamSettings.of(with(option, value))));
    }

    @Test
    void spinnersArriveAtBothFabrics() {
        Settings settings = with("internal.spin.spinners.max", "5");
        assertEquals(5, SdpProviders.shmConfig(settings).spinnersMax());
        assertEquals(5, SdpProviders.verbsConfig(settings).spinnersMax());
    }

    @Test
    void keysAreKeptForThatLong() {
        Settings settings = with("verbs.keys.keep.ms", "3");
        assertEquals(
                TimeUnit.MILLISECONDS.toNanos(3),
                SdpProviders.verbsConfig(settings).keysKeepNanos());
    }

    @Test
    void anAttemptOverADeviceTakesNoLonger() throws Exception {
        Settings settings = with("verbs.connect.timeout.ms", "3");
        Field nanos = SdpOffloadProvider.class.getDeclaredField("verbsConnectNanos");
        nanos.setAccessible(true);
        assertEquals(TimeUnit.MILLISECONDS.toNanos(3), nanos.get(SdpProviders.create(settings)));
    }

    @Test
    void missesAreRememberedForThatLong() {
        Settings settings = with("internal.miss.cache.seconds", "3");
        assertEquals(TimeUnit.SECONDS.toNanos(3), SwitchSettings.of(settings).missTtlNanos());
    }

    @Test
    void sleepingTogetherCanBeSwitchedOff() {
        Settings off = with("internal.sleep.together", "false");
        assertFalse(SdpProviders.shmConfig(off).sleepTogether());
        assertTrue(SdpProviders.shmConfig(Settings.defaults(SdpSettings.ALL)).sleepTogether());
    }
}
