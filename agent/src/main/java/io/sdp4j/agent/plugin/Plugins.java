package io.sdp4j.agent.plugin;

import io.sdp4j.fabric.FabricFactory;
import io.sdp4j.offload.spi.OffloadProvider;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Protocols and fabrics of plug-ins, see docs/plugins.md. All names are different, and none is one
 * of ours.
 *
 * @param protocols providers that are asked behind SDP
 * @param fabrics for SDP, tried behind its own
 */
public record Plugins(List<OffloadProvider> protocols, List<FabricFactory> fabrics) {
    private static final Plugins NONE = new Plugins(List.of(), List.of());

    /**
     * Loads all plug-ins of a directory that can be used.
     *
     * @param directory empty = there are none
     * @param sink takes one line for each that cannot
     */
    public static Plugins of(String directory, Consumer<String> sink) {
        return directory.isEmpty() ? NONE : new PluginLoader(sink).load(directory);
    }

    /** Their names in rules. */
    public List<String> names() {
        return Stream.concat(
                        protocols.stream().map(OffloadProvider::name),
                        fabrics.stream().map(FabricFactory::name))
                .toList();
    }
}
