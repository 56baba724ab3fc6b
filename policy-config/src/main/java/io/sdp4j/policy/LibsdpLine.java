package io.sdp4j.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One line of the libsdp dialect with our additions; see {@link RuleFile} for the grammar. */
record LibsdpLine(LineCursor cursor, HostLookup hosts) {
    private static final String VERDICTS = "one of both, tcp, sdp, direct";
    private static final String ROLES = "one of server, listen, client, connect";
    private static final String TARGET = "ADDRESS[/PREFIX]:PORT, HOST:PORT or *:PORT";
    private static final String PORTS = "a port of 0 to 65535, a range LOW-HIGH, or *";
    private static final String TIMEOUT = "a time-out of 1us to 1h such as 200ms or 2s";
    private static final long MAX_TIMEOUT_NANOS = 3_600_000_000_000L;

    /** The rule of this line, or null when it holds none. */
    static Rule parse(LineCursor cursor, HostLookup hosts) throws LineCursor.Bad {
        if (cursor.atEnd()) {
            return null;
        }
        LibsdpLine line = new LibsdpLine(cursor, hosts);
        int column = cursor.column();
        String first = cursor.word();
        if (cursor.is(first, "log")) {
            line.log();
            return null;
        }
        if (cursor.is(first, "use")) {
            return line.use();
        }
        throw cursor.bad(column, first, "'use' or 'log' at the start of the line");
    }

    private void log() throws LineCursor.Bad {
        while (!cursor.atEnd()) {
            int column = cursor.column();
            String option = cursor.word();
            int valueColumn = cursor.column();
            if (cursor.is(option, "min-level")) {
                String level = cursor.word();
                if (Words.number(level, Integer.MAX_VALUE) < 0) {
                    throw cursor.bad(valueColumn, level, "a number after min-level");
                }
            } else if (cursor.is(option, "destination")) {
                destination(valueColumn);
            } else {
                throw cursor.bad(column, option, "'min-level' or 'destination'");
            }
        }
    }

    private void destination(int column) throws LineCursor.Bad {
        String where = cursor.word();
        if (cursor.is(where, "file")) {
            int nameColumn = cursor.column();
            if (cursor.word().isEmpty()) {
                throw cursor.bad(nameColumn, "", "a file name");
            }
        } else if (!cursor.is(where, "stderr") && !cursor.is(where, "syslog")) {
            throw cursor.bad(column, where, "one of stderr, syslog, file");
        }
    }

    private Rule use() throws LineCursor.Bad {
        Verdict verdict = verdict();
        Role role = role();
        int programColumn = cursor.column();
        String program = cursor.word();
        if (program.isEmpty()) {
            throw cursor.bad(programColumn, "", "a program name or pattern, * for any");
        }
        int column = cursor.column();
        String address = cursor.until(':');
        if (address.isEmpty()) {
            throw cursor.bad(column, cursor.rest(), TARGET);
        }
        AddressWord target = AddressWord.parse(cursor, column, address, hosts);
        int colon = cursor.column();
        if (!cursor.take(':')) {
            throw cursor.bad(colon, cursor.rest(), "':' and " + PORTS);
        }
        int[] ports = ports();
        String source = cursor.source();
        List<String> fabrics = List.of();
        long timeoutNanos = -1;
        while (!cursor.atEnd()) {
            int optionColumn = cursor.column();
            String option = cursor.word();
            String lower = option.toLowerCase(Locale.ROOT);
            if (lower.startsWith("fabric=") && fabrics.isEmpty()) {
                fabrics = fabrics(optionColumn + 7, option.substring(7));
            } else if (lower.startsWith("timeout=") && timeoutNanos < 0) {
                timeoutNanos = timeoutNanos(optionColumn + 8, lower.substring(8));
            } else {
                String once = "end of line, or once each fabric=NAME,.. and timeout=TIME";
                throw cursor.bad(optionColumn, option, once);
            }
        }
        Decision decision = new Decision(verdict, fabrics, timeoutNanos, source, cursor.origin());
        return new Rule(
                role,
                program,
                target.host(),
                target.any(),
                target.ranges(),
                ports[0],
                ports[1],
                decision);
    }

    private Verdict verdict() throws LineCursor.Bad {
        int column = cursor.column();
        String word = cursor.word();
        for (Verdict verdict : Verdict.values()) {
            if (cursor.is(word, verdict.word())) {
                return verdict;
            }
        }
        throw cursor.bad(column, word, VERDICTS);
    }

    private Role role() throws LineCursor.Bad {
        int column = cursor.column();
        String word = cursor.word();
        try {
            return Role.of(word);
        } catch (IllegalArgumentException e) {
            throw cursor.bad(column, word, ROLES);
        }
    }

    /**
     * {@code *}, {@code PORT} or {@code PORT-PORT}; as in libsdp there may be blanks round the
     * dash.
     */
    private int[] ports() throws LineCursor.Bad {
        if (cursor.take('*')) {
            return new int[] {0, Rule.MAX_PORT};
        }
        int low = port();
        return new int[] {low, cursor.take('-') ? port() : low};
    }

    private int port() throws LineCursor.Bad {
        int column = cursor.column();
        String word = cursor.until('-');
        int port = (int) Words.number(word, Rule.MAX_PORT);
        if (port < 0) {
            String expected = word.indexOf(':') >= 0 ? "brackets round an IPv6 address" : PORTS;
            throw cursor.bad(column, word.isEmpty() ? cursor.rest() : word, expected);
        }
        return port;
    }

    private List<String> fabrics(int column, String names) throws LineCursor.Bad {
        List<String> fabrics = new ArrayList<>();
        for (String name : names.split(",", -1)) {
            if (!Words.only(name, Words.LETTERS_AND_DIGITS + "_-") || fabrics.contains(name)) {
                throw cursor.bad(column, name, "names of different fabrics with commas between");
            }
            fabrics.add(name);
            column += name.length() + 1;
        }
        return fabrics;
    }

    private long timeoutNanos(int column, String text) throws LineCursor.Bad {
        int digits = 0;
        while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        long unitNanos =
                switch (text.substring(digits)) {
                    case "us" -> 1_000L;
                    case "ms" -> 1_000_000L;
                    case "s" -> 1_000_000_000L;
                    default -> Long.MAX_VALUE; // so that no count is small enough
                };
        long count = Words.number(text.substring(0, digits), MAX_TIMEOUT_NANOS / unitNanos);
        if (count < 1) {
            throw cursor.bad(column, text, TIMEOUT);
        }
        return count * unitNanos;
    }
}
