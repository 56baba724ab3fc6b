package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void writesEveryKind() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "a\"b\\c\n\u0001");
        map.put("list", Arrays.asList(1L, 2.5, true, null));
        map.put("empty", List.of(Map.of(), List.of()));
        assertEquals(
                "{\"text\":\"a\\\"b\\\\c\\n\\u0001\",\"list\":[1,2.5,true,null],\"empty\":[{},[]]}",
                Json.text(map));
        assertEquals(map, JsonReader.parse(Json.text(map)));
    }

    @Test
    void roundsToSixPlaces() {
        List<Object> numbers = List.of(0.0, 12.0, -2.5, 1e-7, 2.0 / 3, 100.0, 1e20);
        String text = "[0,12,-2.5,0,0.666667,100,100000000000000000000]";
        assertEquals(text, Json.text(numbers));
    }

    @Test
    void hasNoWordForSomeNumbers() {
        assertEquals("[null,null]", Json.text(List.of(Double.NaN, Double.NEGATIVE_INFINITY)));
        assertThrows(IllegalArgumentException.class, () -> Json.text(new Object()));
    }

    @Test
    void readsOnlyJson() {
        for (String bad :
                List.of(
                        "",
                        "{",
                        "[1,]",
                        "{\"a\" 1}",
                        "01",
                        "\"a",
                        "\"\\q\"",
                        "nul",
                        "1 2",
                        "{1:2}")) {
            assertThrows(IllegalArgumentException.class, () -> JsonReader.parse(bad), bad);
        }
        assertThrows(IllegalArgumentException.class, () -> JsonReader.parse("[".repeat(100_000)));
    }

    /** Goal: any text survives, as the bytes of a file too. Method: write, encode, decode, read. */
    @Property
    void keepsAnyText(@ForAll String text) {
        byte[] bytes = Json.text(text).getBytes(StandardCharsets.UTF_8);
        assertEquals(text, JsonReader.parse(new String(bytes, StandardCharsets.UTF_8)));
    }

    /** Goal: text that is no JSON is refused, never a fault of the reader. */
    @Property
    void survivesAnyText(@ForAll String text) {
        try {
            Object _ = JsonReader.parse(text);
        } catch (IllegalArgumentException e) {
            // as documented
        }
    }
}
