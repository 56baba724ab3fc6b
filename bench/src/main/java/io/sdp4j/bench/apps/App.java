package io.sdp4j.bench.apps;

/** A program that other people wrote: its server, and a client of theirs for it. */
interface App {
    /** Starts the server, for the rest of the JVM's life; the port it has begun to listen on. */
    int serve() throws Exception;

    /**
     * Begins to send requests, each after the answer to the one before it, for the rest of the
     * JVM's life.
     *
     * @param port the server's
     * @param bytes of a request, an answer or both, as the program has it
     * @param atOnce how many requests are under way at any time
     */
    void load(int port, int bytes, int atOnce, Tally tally) throws Exception;

    /** The program of that name. */
    static App named(String name) {
        return switch (name) {
            case "jetty" -> HttpApp.gets(new JettyServer());
            case "jetty-http2" -> HttpApp.getsByHttp2(new JettyServer());
            case "jetty-post" -> HttpApp.posts(new JettyServer());
            case "jdk" -> HttpApp.gets(new JdkServer());
            case "jdk-post" -> HttpApp.posts(new JdkServer());
            case "tomcat" -> HttpApp.gets(new TomcatServer());
            case "tomcat-post" -> HttpApp.posts(new TomcatServer());
            case "vertx" -> HttpApp.gets(new VertxServer());
            case "vertx-post" -> HttpApp.posts(new VertxServer());
            case "helidon" -> HttpApp.gets(new HelidonServer());
            case "helidon-post" -> HttpApp.posts(new HelidonServer());
            case "grpc" -> new GrpcApp();
            case "h2" -> new H2App();
            case "rmi" -> new RmiApp();
            case "kafka" -> new KafkaApp();
            case "zookeeper" -> new ZooKeeperApp();
            case "activemq" -> new JmsApp();
            case "hazelcast" -> new HazelcastApp();
            case "jgroups" -> JgroupsApp.blocking();
            case "jgroups-nio" -> JgroupsApp.nio();
            case "spring" -> new SpringApp(false);
            case "spring-post" -> new SpringApp(true);
            case "ratis" -> new RatisApp();
            case "hdfs" -> new HdfsApp(HdfsApp.Work.ASK);
            case "hdfs-read" -> new HdfsApp(HdfsApp.Work.READ);
            case "hdfs-write" -> new HdfsApp(HdfsApp.Work.WRITE);
            case "netty" -> new NettyApp();
            default -> throw new IllegalArgumentException("no program " + name);
        };
    }
}
