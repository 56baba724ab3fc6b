package io.sdp4j.agent;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes JSON text (RFC 8259) of maps, lists, text, numbers, booleans and null. Stateless. */
public final class Json {
    private Json() {}

    /**
     * Returns the text of a value, on one line. Maps keep their order. A number that JSON cannot
     * express, such as the NaN of a failed measurement, becomes null.
     *
     * @throws IllegalArgumentException for any other type
     */
    public static String text(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        switch (value) {
            case null -> out.append("null");
            case Map<?, ?> map -> object(map, out);
            case List<?> list -> array(list, out);
            case CharSequence text -> string(text, out);
            case Boolean truth -> out.append(truth);
            case Double number -> out.append(Double.isFinite(number) ? decimal(number) : "null");
            case Integer number -> out.append(number);
            case Long number -> out.append(number);
            default -> throw new IllegalArgumentException("no JSON for " + value);
        }
    }

    /** Writes at most six decimal places, which is more than the precision of any number here. */
    private static String decimal(double number) {
        BigDecimal rounded = BigDecimal.valueOf(number).setScale(6, RoundingMode.HALF_UP);
        return rounded.stripTrailingZeros().toPlainString();
    }

    private static void object(Map<?, ?> map, StringBuilder out) {
        char before = '{';
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(before);
            string(String.valueOf(entry.getKey()), out);
            out.append(':');
            write(entry.getValue(), out);
            before = ',';
        }
        out.append(before == '{' ? "{}" : "}");
    }

    private static void array(List<?> list, StringBuilder out) {
        char before = '[';
        for (Object element : list) {
            out.append(before);
            write(element, out);
            before = ',';
        }
        out.append(before == '[' ? "[]" : "]");
    }

    private static void string(CharSequence text, StringBuilder out) {
        out.append('"');
        int c;
        for (int i = 0; i < text.length(); i += Character.charCount(c)) {
            c = Character.codePointAt(text, i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append((char) c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    // controls must be escaped; lone surrogates have no UTF-8 form
                    if (c < 0x20 || c == 0x7f || Character.getType(c) == Character.SURROGATE) {
                        out.append(String.format(Locale.ROOT, "\\u%04x", c));
                    } else {
                        out.appendCodePoint(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
