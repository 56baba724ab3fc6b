package io.sdp4j.policy;

import java.util.Collection;
import java.util.Locale;

/** The word that was probably meant. Stateless. */
public final class Nearest {
    private static final int MOST_EDITS = 2;

    private Nearest() {}

    /**
     * A question to put behind an error, {@code "; did you mean 'x'?"}, or an empty text if no word
     * is near.
     *
     * @param word as it was written, in upper or lower case
     * @param words the ones there are
     */
    public static String question(String word, Collection<String> words) {
        String written = word.toLowerCase(Locale.ROOT);
        String nearest = null;
        int least = Math.min(MOST_EDITS, written.length() / 2) + 1;
        for (String known : words) {
            if (Math.abs(written.length() - known.length()) >= least) {
                continue; // it takes that many edits at least; and the word may be very long
            }
            int edits = edits(written, known.toLowerCase(Locale.ROOT));
            if (edits < least) {
                least = edits;
                nearest = known;
            }
        }
        return nearest == null || least == 0 ? "" : "; did you mean '" + nearest + "'?";
    }

    /** Letters to add, drop, change or swap with their neighbour. */
    private static int edits(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] =
                        Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + change);
                if (i > 1
                        && j > 1
                        && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
