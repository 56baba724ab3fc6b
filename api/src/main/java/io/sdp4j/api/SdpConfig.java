package io.sdp4j.api;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Configuration of one {@link SdpProvider}. A value that is not given here is that of its system
 * property, or else the default, when the provider is opened.
 *
 * {@snippet lang = java :
 * SdpConfig config = SdpConfig.builder().fabrics("shm").connectTimeout(Duration.ofMillis(500)).build();
 * try (SdpProvider sdp = SdpProvider.open(config)) {
 *     SocketFactory factory = sdp.socketFactory();
 * }
 * }
 *
 * <p>Immutable.
 *
 * @since 0.1
 */
public final class SdpConfig {
    private final Map<String, String> properties;
    private final List<String> fabrics;
    private final Optional<String> rules;

    private SdpConfig(Builder builder) {
        properties = Map.copyOf(builder.properties);
        fabrics = builder.fabrics;
        rules = builder.rules;
    }

    /**
     * Nothing given.
     *
     * @return what {@link Sdp} uses
     */
    public static SdpConfig defaults() {
        return builder().build();
    }

    /**
     * Begins one.
     *
     * @return a builder with nothing given
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The system properties that would say the same, except rules and the order of fabrics.
     *
     * @return by name, for example {@code sdp4j.connect.timeout.ms}
     */
    public Map<String, String> properties() {
        return properties;
    }

    /**
     * The fabrics that may be used.
     *
     * @return names in order of preference; empty if none were given
     */
    public List<String> fabrics() {
        return fabrics;
    }

    /**
     * Which connections are to be SDP.
     *
     * @return the text of a rule file; empty if everything is
     */
    public Optional<String> rules() {
        return rules;
    }

    /** Collects what differs from the defaults. Not thread-safe. */
    public static final class Builder {
        private static final String SHM = "shm";
        private static final String VERBS = "verbs";

        private final Map<String, String> properties = new TreeMap<>();
        private List<String> fabrics = List.of();
        private Optional<String> rules = Optional.empty();

        private Builder() {}

        private Builder put(String name, long value, long min, long max) {
            if (value < min || value > max) {
                throw new IllegalArgumentException(
                        name + ": found " + value + ", expected " + min + " to " + max);
            }
            properties.put(name, Long.toString(value));
            return this;
        }

        /**
         * The fabrics to use, and no others.
         *
         * @param names {@code shm} (shared memory), {@code verbs} (RDMA devices), in order of
         *     preference unless there are {@link #rules}; at least one
         * @return this
         * @throws IllegalArgumentException if there is none, or one of another name
         */
        public Builder fabrics(String... names) {
            List<String> wanted = List.of(names);
            if (wanted.isEmpty() || !List.of(SHM, VERBS).containsAll(wanted)) {
                throw new IllegalArgumentException(
                        "fabrics: found " + wanted + ", expected shm, verbs");
            }
            fabrics = wanted;
            properties.put("sdp4j.shm.enabled", Boolean.toString(wanted.contains(SHM)));
            properties.put("sdp4j.verbs.enabled", Boolean.toString(wanted.contains(VERBS)));
            return this;
        }

        /**
         * Longest time that one attempt to connect by SDP may take, on any fabric. A shorter
         * time-out of the caller's holds.
         *
         * @param timeout 1 ms to 60 s; whole milliseconds count
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder connectTimeout(Duration timeout) {
            long millis = TimeUnit.MILLISECONDS.convert(timeout); // knows no overflow
            put("sdp4j.verbs.connect.timeout.ms", millis, 1, 60_000);
            return put("sdp4j.connect.timeout.ms", millis, 1, 60_000);
        }

        /**
         * How long a connection with {@code SO_KEEPALIVE} over an RDMA device may be idle before
         * the peer is probed.
         *
         * @param time 1 s to one day; whole seconds count
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder keepAlive(Duration time) {
            return put("sdp4j.keepalive.s", time.toSeconds(), 1, 86_400);
        }

        /**
         * Private buffers of a connection over shared memory.
         *
         * @param count 4 to 64
         * @param bytes size of each, 256 to 1,048,576, the 16 bytes of a header included
         * @return this
         * @throws IllegalArgumentException if one is out of range
         */
        public Builder buffers(int count, int bytes) {
            put("sdp4j.buffers.count", count, 4, 64);
            return put("sdp4j.buffers.bytes", bytes, 256, 1_048_576);
        }

        /**
         * Private buffers of a connection over an RDMA device, so many each way; all of them are
         * registered memory.
         *
         * @param count 4 to 64
         * @param bytes size of each, 256 to 1,048,576, the 16 bytes of a header included
         * @return this
         * @throws IllegalArgumentException if one is out of range
         */
        public Builder deviceBuffers(int count, int bytes) {
            put("sdp4j.verbs.buffers.count", count, 4, 64);
            return put("sdp4j.verbs.buffers.bytes", bytes, 256, 1_048_576);
        }

        /**
         * Most shared memory that this provider may use. A connection counts 16 KiB of each buffer,
         * and all of it once it sends long messages.
         *
         * @param mebibytes in MiB, 1 to 16,777,216
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder maxMemory(int mebibytes) {
            return put("sdp4j.memory.max.mb", mebibytes, 1, 16_777_216);
        }

        /**
         * Where the processes of one host meet over shared memory: those that use another directory
         * do not find each other.
         *
         * @param directory in which each user's processes have one of their own
         * @return this
         */
        public Builder sharedMemoryDirectory(Path directory) {
            properties.put("sdp4j.shm.dir", directory.toAbsolutePath().toString());
            return this;
        }

        /**
         * Which connections and listeners are to be SDP. Without rules all of them are, or fail.
         *
         * @param text a rule file, in libsdp's dialect or the JDK's; not its name
         * @return this
         */
        public Builder rules(String text) {
            rules = Optional.of(text);
            return this;
        }

        /**
         * Ends building; the builder may go on.
         *
         * @return what was collected so far
         */
        public SdpConfig build() {
            return new SdpConfig(this);
        }
    }
}
