package io.sdp4j.agent.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Hands over to the benchmarks of the checkout, which are not in this jar. */
@Command(
        name = "bench",
        description = "Measure sdp4j beside kernel TCP and UNIX-domain sockets.",
        customSynopsis = "sdp4j bench [ARGUMENT...]",
        footer = {
            "",
            "Arguments go to the benchmarks as they are; \"bench -- --help\" lists them."
        })
final class BenchCommand extends Subcommand {
    private static final String MAIN = "io.sdp4j.bench.BenchMain";

    @Unmatched private final List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path agent = Place.agentJar();
        Path bench = Place.builtJar("bench", MAIN);
        List<String> command = new ArrayList<>();
        command.add(Place.java());
        command.add("-Dsdp4j.home=" + Place.home().toAbsolutePath());
        command.add("-Dsdp4j.agent.jar=" + agent);
        command.add("-cp");
        command.add(bench + java.io.File.pathSeparator + bench.resolveSibling("lib") + "/*");
        command.add(MAIN);
        List<String> given =
                !arguments.isEmpty() && arguments.getFirst().equals("--")
                        ? arguments.subList(1, arguments.size())
                        : arguments;
        command.addAll(given);
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
