package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/**
 * HDFS with one data node in the name node's JVM, and its client: a file for each at once. Each
 * block that is read or written has a connection of its own; questions to the name node share one.
 */
record HdfsApp(Work work) implements App {
    /** Kinds of requests. */
    enum Work {
        /** How long the file is. */
        ASK,
        /** The whole file. */
        READ,
        /** A new file in its place. */
        WRITE
    }

    @Override
    public int serve() throws IOException {
        Configuration configuration = new Configuration();
        java.nio.file.Path folder = WorkFolder.create("hdfs");
        configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.toString());
        int port = Place.freePort();
        MiniDFSCluster cluster =
                new MiniDFSCluster.Builder(configuration).nameNodePort(port).build();
        cluster.waitActive();
        return port;
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws IOException {
        URI server = URI.create("hdfs://" + Place.here().getHostAddress() + ":" + port);
        FileSystem files = FileSystem.get(server, new Configuration());
        for (int i = 0; i < atOnce; i++) {
            Path file = new Path("/file-" + i);
            byte[] data = new byte[bytes];
            write(files, file, data);
            tally.repeat(
                    () -> {
                        switch (work) {
                            case ASK -> ask(files, file, bytes);
                            case READ -> read(files, file, data);
                            case WRITE -> write(files, file, data);
                        }
                    });
        }
    }

    private static void ask(FileSystem files, Path file, int bytes) throws IOException {
        long length = files.getFileStatus(file).getLen();
        if (length != bytes) {
            throw new IOException(length + " bytes, not " + bytes);
        }
    }

    private static void read(FileSystem files, Path file, byte[] into) throws IOException {
        try (InputStream in = files.open(file)) {
            if (in.readNBytes(into, 0, into.length) != into.length) {
                throw new IOException("the file is too short");
            }
        }
    }

    private static void write(FileSystem files, Path file, byte[] data) throws IOException {
        try (OutputStream out = files.create(file)) {
            out.write(data);
        }
    }
}
