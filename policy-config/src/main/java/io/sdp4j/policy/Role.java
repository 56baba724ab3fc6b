package io.sdp4j.policy;

import java.util.Locale;

/** Which end of a connection a rule speaks about. */
public enum Role {
    /**
     * A socket that connects: libsdp's {@code client} or {@code connect}; matched against the
     * remote address.
     */
    CONNECT,
    /**
     * A socket that is bound to listen: libsdp's {@code server} or {@code listen}, the JDK's {@code
     * bind}.
     */
    LISTEN;

    private final String word = name().toLowerCase(Locale.ROOT);

    /**
     * The role that a word of rule files means, in upper or lower case: {@code connect}, {@code
     * client}, {@code listen}, {@code server}.
     *
     * @throws IllegalArgumentException for any other word
     */
    public static Role of(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "connect", "client" -> CONNECT;
            case "listen", "server" -> LISTEN;
            default ->
                    throw new IllegalArgumentException(
                            "expected connect, client, listen or server, found " + word);
        };
    }

    /** The word rule files use: {@code connect} or {@code listen}. */
    public String word() {
        return word;
    }
}
