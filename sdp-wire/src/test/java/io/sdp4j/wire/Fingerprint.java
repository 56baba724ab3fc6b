package io.sdp4j.wire;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A number for the state of the {@link MachinePair}: equal states have equal numbers, and different
 * ones almost certainly do not.
 *
 * <p>Method: every field of the machine and of the parts it consists of, their superclasses
 * included, found by reflection so that none can be forgotten, except counters that nothing depends
 * on and what is fixed for a connection. Of a queue of regions only what is in it counts.
 */
final class Fingerprint {
    /** Statistics, and tables of capacity. */
    private static final Set<String> LEFT_OUT =
            Set.of("messagesSent", "bytesSent", "messagesReceived", "bytesReceived", "config");

    private static final Map<Class<?>, Field[]> FIELDS = new ConcurrentHashMap<>();

    private final List<Object> seen = new ArrayList<>();
    private long number = 0x9E37_79B9_7F4A_7C15L;

    long number() {
        return number;
    }

    Fingerprint add(long value) {
        long mixed = (number ^ value) * 0xBF58_476D_1CE4_E5B9L;
        number = (mixed ^ (mixed >>> 29)) * 0x94D0_49BB_1331_11EBL + 1;
        return this;
    }

    Fingerprint add(boolean value) {
        return add(value ? 1 : 2);
    }

    Fingerprint flights(Deque<Flight> flights) {
        add(flights.size());
        for (Flight flight : flights) {
            for (int i = 0; i < Bsdh.MAX_HEADER_BYTES; i += 4) {
                add(
                        (flight.header[i] & 0xFF) << 24
                                | (flight.header[i + 1] & 0xFF) << 16
                                | (flight.header[i + 2] & 0xFF) << 8
                                | (flight.header[i + 3] & 0xFF));
            }
            add(flight.byteLen).add(flight.streamAt).add(flight.tag);
            add(flight.hangUp).add(flight.failed);
            if (flight.rdma != null) {
                add(flight.rdma.read).add(flight.rdma.va).add(flight.rdma.lenBytes);
                add(flight.rdma.rkey).add(flight.rdma.position);
            }
        }
        return this;
    }

    Fingerprint machine(SdpMachine machine) {
        seen.clear();
        try {
            walk(machine);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
        return this;
    }

    private void walk(Object part) throws IllegalAccessException {
        for (Object other : seen) {
            if (other == part) {
                return;
            }
        }
        seen.add(part);
        for (Field field : FIELDS.computeIfAbsent(part.getClass(), Fingerprint::fields)) {
            Class<?> type = field.getType();
            if (type == int.class) {
                add(field.getInt(part));
            } else if (type == boolean.class) {
                add(field.getBoolean(part));
            } else if (type == long.class) {
                add(field.getLong(part));
            } else {
                value(field.get(part));
            }
        }
    }

    private void value(Object value) throws IllegalAccessException {
        switch (value) {
            case null -> add(0);
            case Regions regions -> {
                add(regions.size());
                for (int i = 0; i < regions.size(); i++) {
                    walk(regions.get(i));
                }
            }
            case Enum<?> constant -> add(constant.name().hashCode());
            case int[] numbers -> {
                for (int number : numbers) {
                    add(number);
                }
            }
            case long[] numbers -> {
                for (long number : numbers) {
                    add(number);
                }
            }
            case boolean[] flags -> {
                for (boolean flag : flags) {
                    add(flag);
                }
            }
            case Object[] parts -> {
                for (Object part : parts) {
                    value(part);
                }
            }
            default -> {
                if (value.getClass().getPackage() != Fingerprint.class.getPackage()) {
                    throw new AssertionError("no rule for " + value.getClass());
                }
                walk(value);
            }
        }
    }

    private static Field[] fields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())
                        && !LEFT_OUT.contains(field.getName())) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return fields.toArray(new Field[0]);
    }
}
