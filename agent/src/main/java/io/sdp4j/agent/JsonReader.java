package io.sdp4j.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the JSON that {@link Json} writes, and any other of moderate depth: objects as maps in
 * their order, arrays as lists, whole numbers as {@code Long}, others as {@code Double}.
 *
 * <p>Used on one thread for one text.
 */
public final class JsonReader {
    private static final int MAX_DEPTH = 64;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /**
     * Returns the value that {@code text} stands for.
     *
     * @throws IllegalArgumentException when it is not JSON, with the place
     */
    public static Object parse(String text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value(0);
        reader.blanks();
        if (reader.at < text.length()) {
            throw reader.fault("the end");
        }
        return value;
    }

    private Object value(int depth) {
        blanks();
        if (depth > MAX_DEPTH) {
            throw fault("fewer levels");
        }
        char c = peek();
        return switch (c) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        while (more('}', map.isEmpty())) {
            blanks();
            String key = string();
            blanks();
            expect(':');
            map.put(key, value(depth + 1));
        }
        return map;
    }

    private List<Object> array(int depth) {
        List<Object> list = new ArrayList<>();
        at++;
        while (more(']', list.isEmpty())) {
            list.add(value(depth + 1));
        }
        return list;
    }

    /** Whether a member follows, behind a comma if it is not the first. */
    private boolean more(char end, boolean first) {
        blanks();
        if (peek() == end) {
            at++;
            return false;
        }
        if (!first) {
            expect(',');
        }
        return true;
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        while (peek() != '"') {
            char c = text.charAt(at++);
            if (c < 0x20) {
                throw fault("no control character");
            }
            out.append(c == '\\' ? escaped() : c);
        }
        at++;
        return out.toString();
    }

    private char escaped() {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                if (at + 4 > text.length()) {
                    throw fault("four hexadecimal digits");
                }
                at += 4;
                yield (char) Integer.parseInt(text, at - 4, at, 16);
            }
            default -> throw fault("an escape");
        };
    }

    private Object number() {
        int start = at;
        while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String number = text.substring(start, at);
        if (!number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) {
            at = start;
            throw fault("a value");
        }
        if (number.matches("-?[0-9]{1,18}")) {
            return Long.parseLong(number);
        }
        return Double.parseDouble(number);
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw fault("a value");
        }
        at += word.length();
        return value;
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw fault("more");
        }
        return text.charAt(at);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw fault("'" + c + "'");
        }
        at++;
    }

    private IllegalArgumentException fault(String expected) {
        return new IllegalArgumentException("JSON: expected " + expected + " at offset " + at);
    }
}
