package io.sdp4j.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes maps, lists, texts, numbers and booleans as JSON, two blanks deeper per level. */
final class Json {
    private Json() {}

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out, "\n");
        return out.append('\n').toString();
    }

    private static void write(Object value, StringBuilder out, String newLine) {
        switch (value) {
            case Map<?, ?> map -> {
                String inner = newLine + "  ";
                String before = "{" + inner;
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.append(before);
                    text(String.valueOf(entry.getKey()), out);
                    out.append(": ");
                    write(entry.getValue(), out, inner);
                    before = "," + inner;
                }
                out.append(map.isEmpty() ? "{}" : newLine + "}");
            }
            case List<?> list -> {
                String before = "[";
                for (Object element : list) {
                    out.append(before);
                    write(element, out, newLine);
                    before = ", ";
                }
                out.append(list.isEmpty() ? "[]" : "]");
            }
            case Double number -> out.append(number(number));
            case Number number -> out.append(number);
            case Boolean bool -> out.append(bool);
            case null -> out.append("null");
            default -> text(value.toString(), out);
        }
    }

    private static String number(double number) {
        if (!Double.isFinite(number)) {
            return "null";
        }
        if (number == Math.rint(number) && Math.abs(number) < 1e15) {
            return String.valueOf((long) number);
        }
        return String.format(Locale.ROOT, "%.6g", number);
    }

    private static void text(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20) {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
