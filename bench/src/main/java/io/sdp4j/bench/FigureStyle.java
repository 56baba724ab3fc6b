package io.sdp4j.bench;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.intermediate.CommandSequence;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.internal.chartpart.AxesChart;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;

/** How figures look on a light and on a dark page, and how they become SVG. */
enum FigureStyle {
    LIGHT(0xffffff, 0x1f2328, 0xd1d9e0, 0x6e7781, 0x9a6700, 0x0969da),
    DARK(0x0d1117, 0xe6edf3, 0x30363d, 0x9198a1, 0xd29922, 0x58a6ff);

    static final int WIDTH = 760;
    static final int HEIGHT = 380;

    private static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
    private static final Font HEADING = new Font(Font.SANS_SERIF, Font.BOLD, 15);
    private static final Font SMALL = new Font(Font.SANS_SERIF, Font.PLAIN, 12);

    /** Text whose measures tell one font from another. */
    private static final String SAMPLE = "0123456789 kernel TCP AF_UNIX sdp4j µs GB/s";

    /** More digits than a screen can show. */
    private static final Pattern LONG_FRACTION = Pattern.compile("(\\.\\d\\d)\\d+");

    private final Color page;
    private final Color text;
    private final Color grid;
    private final Color tcp;
    private final Color unix;
    private final Color sdp4j;

    FigureStyle(int page, int text, int grid, int tcp, int unix, int sdp4j) {
        this.page = new Color(page);
        this.text = new Color(text);
        this.grid = new Color(grid);
        this.tcp = new Color(tcp);
        this.unix = new Color(unix);
        this.sdp4j = new Color(sdp4j);
    }

    String suffix() {
        return "-" + name().toLowerCase(Locale.ROOT) + ".svg";
    }

    Color color(Config config) {
        return switch (config) {
            case TCP -> tcp;
            case UNIX -> unix;
            default -> sdp4j;
        };
    }

    /** The colour of one round beside the median: half way to the page's. */
    Color faint(Config config) {
        Color strong = color(config);
        return new Color(
                (page.getRed() + strong.getRed()) / 2,
                (page.getGreen() + strong.getGreen()) / 2,
                (page.getBlue() + strong.getBlue()) / 2);
    }

    XYChart lines(String title, String x, String y) {
        XYChart chart = new XYChart(WIDTH, HEIGHT);
        name(chart, title, x, y);
        dress(chart.getStyler());
        chart.getStyler().setMarkerSize(7);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmicDecadeOnly(true);
        chart.getStyler().setXAxisLogarithmicDecadeOnly(true);
        return chart;
    }

    CategoryChart bars(String title, String y) {
        CategoryChart chart = new CategoryChart(WIDTH, HEIGHT);
        name(chart, title, "", y);
        dress(chart.getStyler());
        CategoryStyler styler = chart.getStyler();
        styler.setAvailableSpaceFill(0.75);
        styler.setLabelsVisible(true);
        styler.setLabelsFont(SMALL);
        styler.setLabelsFontColor(text);
        styler.setLabelsFontColorAutomaticEnabled(false);
        styler.setLabelsPosition(1.06);
        styler.setPlotGridVerticalLinesVisible(false);
        styler.setXAxisTitleVisible(false);
        styler.setYAxisMin(0.0);
        return chart;
    }

    private static void name(AxesChart<?, ?> chart, String title, String x, String y) {
        chart.setTitle(title);
        chart.setXAxisTitle(x);
        chart.setYAxisTitle(y);
    }

    private void dress(AxesChartStyler styler) {
        styler.setBaseFont(TEXT);
        styler.setLocale(Locale.ROOT);
        styler.setChartTitleFont(HEADING);
        styler.setChartTitleBoxVisible(false);
        styler.setChartBackgroundColor(page);
        styler.setPlotBackgroundColor(page);
        styler.setPlotBorderColor(grid);
        styler.setChartFontColor(text);
        styler.setChartTitleFontColor(text);
        styler.setXAxisTitleColor(text);
        styler.setYAxisTitleColor(text);
        styler.setXAxisTickLabelsColor(text);
        styler.setYAxisTickLabelsColor(text);
        styler.setXAxisTickMarksColor(grid);
        styler.setYAxisTickMarksColor(grid);
        styler.setPlotGridLinesColor(grid);
        styler.setPlotGridLinesStroke(new BasicStroke(1));
        styler.setLegendBackgroundColor(page);
        styler.setLegendBorderColor(page);
        styler.setLegendFont(TEXT);
        styler.setLegendPadding(12);
        styler.setLegendPosition(LegendPosition.OutsideS);
        styler.setLegendLayout(LegendLayout.Horizontal);
    }

    /** Inputs of the measures of text, and with them of all positions. */
    static String font() {
        var bounds =
                new TextLayout(SAMPLE, TEXT, new FontRenderContext(null, true, true)).getBounds();
        return String.format(Locale.ROOT, "%.3f x %.3f", bounds.getWidth(), bounds.getHeight());
    }

    /**
     * The chart as SVG.
     *
     * @param told a comment at its end
     */
    static String svg(Chart<?, ?> chart, String told) throws IOException {
        VectorGraphics2D graphics = new VectorGraphics2D();
        chart.paint(graphics, WIDTH, HEIGHT);
        CommandSequence commands = graphics.getCommands();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new SVGProcessor().getDocument(commands, new PageSize(0, 0, WIDTH, HEIGHT)).writeTo(out);
        String svg = LONG_FRACTION.matcher(out.toString(StandardCharsets.UTF_8)).replaceAll("$1");
        return svg.strip() + "\n<!-- " + told + " -->\n";
    }
}
