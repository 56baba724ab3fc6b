package io.sdp4j.samples;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The {@code --name value} options of one program; a mistake prints what is known and exits with 2.
 *
 * <p>Immutable.
 */
record Options(Map<String, String> values) {
    /** Reads {@code args}, allowing only the {@code known} names (without dashes). */
    static Options parse(String[] args, String... known) {
        try {
            return read(args, List.of(known));
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.exit(2);
            throw wrong;
        }
    }

    /** As {@link #parse}, but a mistake is an {@link IllegalArgumentException}. */
    static Options read(String[] args, List<String> known) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            String name = args[i].startsWith("--") ? args[i].substring(2) : "";
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "unknown option " + args[i] + "; known: --" + String.join(", --", known));
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException("option " + args[i] + " needs a value");
            }
            values.put(name, args[i + 1]);
        }
        return new Options(values);
    }

    String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    int number(String name, int otherwise) {
        String value = values.get(name);
        return value == null ? otherwise : Integer.parseInt(value);
    }

    long bigNumber(String name, long otherwise) {
        String value = values.get(name);
        return value == null ? otherwise : Long.parseLong(value);
    }

    double decimal(String name, double otherwise) {
        String value = values.get(name);
        return value == null ? otherwise : Double.parseDouble(value);
    }
}
