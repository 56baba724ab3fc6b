package io.sdp4j.wire;

/** How long a test may search: the profile of the build decides. */
final class Effort {
    private static final String PROFILE = System.getProperty("sdp4j.test.profile", "verify");

    private Effort() {}

    /** Whether the build was asked for the long searches. */
    static boolean deep() {
        return PROFILE.equals("deep");
    }

    /** A number of tries: for each mutant, for each build, for the deep profile. */
    static int of(int mutation, int verify, int deep) {
        return switch (PROFILE) {
            case "deep" -> deep;
            case "mutation" -> mutation;
            default -> verify;
        };
    }
}
