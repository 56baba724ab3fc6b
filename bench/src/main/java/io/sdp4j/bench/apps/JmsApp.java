package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.io.IOException;
import java.net.URI;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;

/**
 * ActiveMQ in memory: messages through a queue and back, on a connection and a queue for each at
 * once.
 */
final class JmsApp implements App {
    private static final long PATIENCE_MILLIS = 30_000;

    @Override
    public int serve() throws Exception {
        BrokerService broker = new BrokerService();
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.setUseShutdownHook(false);
        URI at =
                broker.addConnector("tcp://" + Place.here().getHostAddress() + ":0")
                        .getServer()
                        .getConnectURI();
        broker.start();
        broker.waitUntilStarted();
        return at.getPort();
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally)
            throws IOException, JMSException {
        ActiveMQConnectionFactory factory =
                new ActiveMQConnectionFactory(
                        "tcp://" + Place.here().getHostAddress() + ":" + port);
        for (int i = 0; i < atOnce; i++) {
            Connection connection = factory.createConnection();
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("queue-" + i);
            MessageProducer producer = session.createProducer(queue);
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            MessageConsumer consumer = session.createConsumer(queue);
            BytesMessage message = session.createBytesMessage();
            message.writeBytes(new byte[bytes]);
            tally.repeat(() -> pass(message, producer, consumer, bytes));
        }
    }

    private static void pass(
            BytesMessage message, MessageProducer producer, MessageConsumer consumer, int bytes)
            throws JMSException {
        producer.send(message);
        BytesMessage back = (BytesMessage) consumer.receive(PATIENCE_MILLIS);
        if (back == null || back.getBodyLength() != bytes) {
            throw new JMSException("not the message that was sent");
        }
    }
}
