package io.sdp4j.wire;

/**
 * Advertisements of the peer that are not processed, oldest first: the common part of both halves.
 */
abstract sealed class Offers permits SourceOffers, SinkOffers {
    final Regions held = new Regions();

    boolean isEmpty() {
        return held.isEmpty();
    }

    int size() {
        return held.size();
    }

    Region first() {
        return held.first();
    }
}
