package io.sdp4j.e2e.programs;

/**
 * A client's findings at one port of its server: prints {@code N.KEY=VALUE} with the number of the
 * visit, as the port differs from run to run. A key {@code right...} must be true.
 */
final class Visit {
    private final int number;

    Visit(int number) {
        this.number = number;
    }

    void tell(String key, Object value) {
        System.out.println(number + "." + key + "=" + value);
    }
}
