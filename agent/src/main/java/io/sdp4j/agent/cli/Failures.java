package io.sdp4j.agent.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;

/** Failures of the operating system in words for people. Stateless. */
final class Failures {
    private Failures() {}

    /** Why it failed, without the name of the file. */
    static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "no such file or directory";
            case AccessDeniedException _ -> "permission denied";
            case FileSystemLoopException _ -> "its links lead in a circle";
            case FileSystemException f when f.getReason() != null -> f.getReason();
            default -> e.getMessage() == null ? e.toString() : e.getMessage();
        };
    }
}
