package io.sdp4j.wire;

import java.util.Arrays;

/**
 * A queue of regions, oldest first.
 *
 * <p>Shape: a ring of reused objects, a power of two of them; it grows to the largest number ever
 * held and allocates nothing after that.
 */
final class Regions {
    private Region[] ring = {};
    private int head;
    int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    Region get(int i) {
        assert i < size;
        return ring[(head + i) & (ring.length - 1)];
    }

    /** The oldest; there must be one. */
    Region first() {
        return get(0);
    }

    Region add(int buffer, long lenBytes, int rkey, long va) {
        if (size == ring.length) {
            grow();
        }
        Region region = ring[(head + size++) & (ring.length - 1)];
        region.set(buffer, lenBytes, rkey, va);
        return region;
    }

    void removeFirst() {
        assert size > 0;
        head = (head + 1) & (ring.length - 1);
        size--;
    }

    void removeLast() {
        assert size > 0;
        size--;
    }

    void clear() {
        size = 0;
    }

    /** Returns the first region with RDMA under way; there must be one. */
    Region firstMoving() {
        for (int i = 0; i < size; i++) {
            if (get(i).moving()) {
                return get(i);
            }
        }
        throw new AssertionError("more completions than RDMA operations");
    }

    private void grow() {
        int old = ring.length;
        Region[] larger = Arrays.copyOf(ring, Math.max(4, 2 * old));
        for (int i = 0; i < old; i++) {
            larger[i] = ring[(head + i) & (old - 1)];
        }
        for (int i = old; i < larger.length; i++) {
            larger[i] = new Region();
        }
        ring = larger;
        head = 0;
    }
}
