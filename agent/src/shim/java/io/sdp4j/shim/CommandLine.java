package io.sdp4j.shim;

/** {@code java -jar}: builds the layer and hands the arguments to the command line inside it. */
public final class CommandLine {
    private CommandLine() {}

    public static void main(String[] args) throws ReflectiveOperationException {
        Layer layer = Layer.define();
        int status =
                (int)
                        layer.type("io.sdp4j.agent.cli.Main")
                                .getMethod("run", String[].class)
                                .invoke(null, (Object) args);
        // commands run in this process may leave threads behind, which must not delay the exit
        System.exit(status);
    }
}
